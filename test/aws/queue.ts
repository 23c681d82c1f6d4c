/** A standard queue as SQS keeps it: delay, visibility, receive counts, redrive. Time comes from outside. */
import { randomUUID } from "node:crypto";

export interface Message {
  id: string;
  body: string;
  /** Epoch milliseconds. */
  sentAt: number;
  visibleAt: number;
  /** How often it was received. */
  receives: number;
  firstReceivedAt?: number;
  /** Names the last receipt; an older one removes nothing. */
  handle?: string;
}

export interface QueueOptions {
  /** How long a received message is hidden; 30 seconds unless given. */
  visibilityMs?: number;
  /** Where a message goes instead of being received once more than this. */
  redrive?: { to: Queue; maxReceives: number };
  retentionMs?: number;
}

export interface Queue {
  readonly name: string;
  readonly visibilityMs: number;
  /** What is in the queue, hidden or not, oldest first. */
  readonly messages: readonly Message[];
  send(body: string, delayMs?: number): Message;
  /** Hides up to `max` visible messages and returns them. */
  receive(max: number, visibilityMs?: number): Message[];
  /** False for a receipt that is unknown or no longer the last. */
  remove(handle: string): boolean;
  changeVisibility(handle: string, visibilityMs: number): boolean;
  /** When the next message can be received; null for an empty queue. */
  nextAt(): number | null;
  /** Called after every change. */
  onChange(listener: () => void): void;
}

/** SQS API reference, CreateQueue: defaults. */
const VISIBILITY_MS = 30_000;
const RETENTION_MS = 4 * 24 * 60 * 60_000;

export function createQueue(name: string, now: () => number, options: QueueOptions = {}): Queue {
  const { visibilityMs = VISIBILITY_MS, redrive, retentionMs = RETENTION_MS } = options;
  const all = new Set<Message>();
  const byHandle = new Map<string, Message>();
  /** Visible ones, in the order in which they became so; and the others by the time at which they will be. */
  let ready: Message[] = [];
  const hidden: { at: number; message: Message }[] = [];
  const listeners: (() => void)[] = [];
  const changed = () => {
    for (const listener of listeners) listener();
  };

  /** A binary search, for a queue may hold a hundred thousand. */
  function hide(message: Message): void {
    const at = message.visibleAt;
    let [from, to] = [0, hidden.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (hidden[middle]!.at <= at) from = middle + 1;
      else to = middle;
    }
    hidden.splice(from, 0, { at, message });
  }

  /** Entries of messages that are gone, or were hidden anew, are passed over. */
  const isStale = ({ at, message }: (typeof hidden)[number]) => !all.has(message) || message.visibleAt !== at;

  function reveal(at: number): void {
    const due = hidden.findIndex((entry) => entry.at > at);
    for (const entry of hidden.splice(0, due === -1 ? hidden.length : due)) {
      if (!isStale(entry)) ready.push(entry.message);
    }
  }

  function update(handle: string, act: (message: Message) => void): boolean {
    const message = byHandle.get(handle);
    if (message?.handle === handle && all.has(message)) act(message);
    else return false;
    changed();
    return true;
  }

  return {
    name,
    visibilityMs,
    get messages() {
      return [...all];
    },
    send(body, delayMs = 0) {
      const sentAt = now();
      const message: Message = { id: randomUUID(), body, sentAt, visibleAt: sentAt + delayMs, receives: 0 };
      all.add(message);
      hide(message);
      changed();
      return message;
    },
    receive(max, hiddenMs = visibilityMs) {
      const at = now();
      reveal(at);
      const received: Message[] = [];
      let taken = 0;
      for (; taken < ready.length && received.length < max; taken += 1) {
        const message = ready[taken]!;
        if (!all.has(message) || message.sentAt <= at - retentionMs) {
          all.delete(message);
          continue;
        }
        if (redrive !== undefined && message.receives >= redrive.maxReceives) {
          all.delete(message);
          redrive.to.send(message.body);
          continue;
        }
        byHandle.delete(message.handle ?? "");
        Object.assign(message, {
          receives: message.receives + 1,
          visibleAt: at + hiddenMs,
          handle: randomUUID(),
          firstReceivedAt: message.firstReceivedAt ?? at,
        });
        byHandle.set(message.handle ?? "", message);
        hide(message);
        received.push({ ...message });
      }
      ready = ready.slice(taken);
      return received;
    },
    remove: (handle) =>
      update(handle, (message) => {
        all.delete(message);
        byHandle.delete(handle);
      }),
    changeVisibility: (handle, ms) =>
      update(handle, (message) => {
        message.visibleAt = now() + ms;
        hide(message);
      }),
    nextAt() {
      while (hidden[0] && isStale(hidden[0])) hidden.shift();
      const first = ready.find((message) => all.has(message));
      return first?.visibleAt ?? hidden[0]?.at ?? null;
    },
    onChange: (listener) => void listeners.push(listener),
  };
}

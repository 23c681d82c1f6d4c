/** Ports seen through a window: every call can be counted, delayed, or stopped before and after it happens. */
import type { FileStore, SessionStore } from "../../lib/session/ports.js";

export interface StoreOp {
  /** The port's method. */
  name: string;
  args: readonly unknown[];
}

/** Gets each call and the function that makes it; what it returns or throws is what the caller sees. */
export type Intercept = <Result>(op: StoreOp, run: () => Promise<Result>) => Promise<Result>;

/** A port whose every method goes through `intercept`. Works for session stores and file stores alike. */
export function wrapStore<Store extends SessionStore | FileStore>(store: Store, intercept: Intercept): Store {
  return new Proxy(store, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      if (typeof member !== "function" || typeof name !== "string") return member;
      return (...args: unknown[]) => intercept({ name, args }, () => Reflect.apply(member, target, args));
    },
  });
}

export interface CountedOp {
  name: string;
  /** Bytes of the arguments as JSON, file bytes counted as they are: thread items and record patches above all. */
  bytes: number;
}

/** A store with a list of the calls made, for round trips and bytes per step (S-77). */
export function countingStore<Store extends SessionStore | FileStore>(
  store: Store,
): { store: Store; ops: CountedOp[] } {
  const ops: CountedOp[] = [];
  const counted = wrapStore(store, (op, run) => {
    ops.push({ name: op.name, bytes: op.args.reduce((sum: number, arg) => sum + sizeOf(arg), 0) });
    return run();
  });
  return { store: counted, ops };
}

function sizeOf(value: unknown): number {
  if (value instanceof Uint8Array) return value.byteLength;
  return value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));
}

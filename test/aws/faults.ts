/** Faults that a stand-in for a service shows when told to: refusals, lost answers, refusals of single items. */

export type Fault =
  /** Nothing is done, and the service says so. */
  | { kind: "refuse"; operation: string; status: number; code: string; times?: number }
  /** Everything is done, and the connection breaks before the answer. */
  | { kind: "lose-answer"; operation: string; times?: number }
  /** Everything is done, and a byte of the answer's body changes on its way. */
  | { kind: "garble-answer"; operation: string; times?: number }
  /** One item of a batch is refused, by its name; the answer as a whole is a success. */
  | { kind: "refuse-item"; operation: string; item: string; code: string; times?: number };

export interface Faults {
  /** Shown to the next requests of the operation; `times` is 1 unless given. */
  add(fault: Fault): void;
  refusal(operation: string): { status: number; code: string } | undefined;
  losesAnswer(operation: string): boolean;
  garblesAnswer(operation: string): boolean;
  /** The code an item is refused with. */
  itemRefusal(operation: string, item: string): string | undefined;
}

export function plannedFaults(): Faults {
  const planned: { fault: Fault; left: number }[] = [];

  function take<Kind extends Fault["kind"]>(kind: Kind, operation: string, item?: string) {
    for (const entry of planned) {
      const { fault } = entry;
      if (fault.kind !== kind || fault.operation !== operation || entry.left === 0) continue;
      if (fault.kind === "refuse-item" && fault.item !== item) continue;
      entry.left -= 1;
      return fault as Extract<Fault, { kind: Kind }>;
    }
    return undefined;
  }

  return {
    add: (fault) => planned.push({ fault, left: fault.times ?? 1 }),
    refusal: (operation) => take("refuse", operation),
    losesAnswer: (operation) => take("lose-answer", operation) !== undefined,
    garblesAnswer: (operation) => take("garble-answer", operation) !== undefined,
    itemRefusal: (operation, item) => take("refuse-item", operation, item)?.code,
  };
}

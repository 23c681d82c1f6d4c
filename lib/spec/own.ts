/** Lookups of authored names read own properties only (W-5). */

export function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The own property, or undefined. */
export function own<T>(mapping: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return mapping !== undefined && Object.hasOwn(mapping, key) ? mapping[key] : undefined;
}

/** Sets a property of any name; `__proto__` would otherwise change the prototype. */
export function setOwn(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}

export function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === "";
}

/** Colours and icons of what people read on stderr (C-61). */

/** Colours for the text that people read on stderr (C-61); without colour each function returns its text unchanged. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

/** The marks that begin lines for people; they stay where colour is off (C-61). */
export const icons = {
  ok: "✔",
  fail: "✖",
  warn: "⚠",
  skip: "○",
  enter: "▶",
  leave: "◀",
  call: "→",
  code: "⚙",
  grader: "⚖",
  child: "⇢",
  childDone: "⇠",
  park: "⏸",
  decided: "☑",
  delivered: "✉",
  route: "↯",
  reset: "↺",
} as const;

/** Text in ANSI colours, or as it is when `colour` is false. */
export function createStyle(options: { colour: boolean }): Style {
  const paint = (open: number, close: number) => (text: string) =>
    options.colour && text !== "" ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
  };
}

/** Colour only where a terminal shows it and `NO_COLOR` does not forbid it. */
export function wantsColour(stream: { isTTY?: boolean }, env: Record<string, string | undefined>): boolean {
  return stream.isTTY === true && !env.NO_COLOR;
}

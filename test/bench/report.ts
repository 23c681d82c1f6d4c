/** Figures and the tables they are printed in. */

/** A table's cells; the first row is the head. */
export function printTable(title: string, rows: readonly (readonly (string | number)[])[]): void {
  const cells = rows.map((row) => row.map(String));
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => (row[column] ?? "").length)));
  const line = (row: readonly string[]) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)));
  console.log(`\n${title}`);
  for (const [index, row] of cells.entries()) {
    console.log(`  ${line(row).join("  ")}`);
    if (index === 0) console.log(`  ${widths.map((width) => "-".repeat(width)).join("  ")}`);
  }
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The value that a part `share` of all values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export function ms(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(1);
}

export function ratio(value: number, reference: number): string {
  return `${(value / reference).toFixed(2)}x`;
}

export function kb(bytes: number): string {
  return `${(bytes / 1024).toFixed(2)} KB`;
}

/** Wall and CPU milliseconds of this process while `work` ran, background threads included. */
export async function timed(work: () => Promise<unknown>): Promise<{ wall: number; cpu: number }> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await work();
  const wall = performance.now() - start;
  const used = process.cpuUsage(cpu);
  return { wall, cpu: (used.user + used.system) / 1000 };
}

/** How many kill points of a scenario `PARKWAY_CRASH_POINTS` asks for: a number, or `all`; undefined in the ordinary run. */
const ASKED = process.env.PARKWAY_CRASH_POINTS;

export const TRIES_ALL = ASKED === "all";

/** As many of the points as were asked for, spread evenly; `ordinary` of them where nobody asked. */
export function sampled<Point>(points: readonly Point[], ordinary: number): Point[] {
  const most = TRIES_ALL ? Number.POSITIVE_INFINITY : ASKED === undefined ? ordinary : Number(ASKED);
  const every = Math.max(1, points.length / most);
  return points.filter((_, n) => n === 0 || Math.floor(n / every) > Math.floor((n - 1) / every));
}

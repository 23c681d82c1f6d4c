/** From a request to the route that answers it (N-5: 404, 405). */
import { InvalidRequestError, MethodNotAllowedError, NotFoundError } from "./errors.js";
import { matchPath } from "./paths.js";
import { ROUTES, type Route, type RouteName } from "./routes.js";
import type { HttpRequest } from "./types.js";

export interface Found {
  name: RouteName;
  route: Route;
  /** Decoded. */
  params: Readonly<Record<string, string>>;
}

/** @throws {NotFoundError} @throws {MethodNotAllowedError} @throws {InvalidRequestError} for a path that is no UTF-8 */
export function findRoute({ method, path }: Pick<HttpRequest, "method" | "path">): Found {
  const fitting = Object.entries(ROUTES).flatMap(([name, route]) => {
    const params = paramsOf(route, path);
    return params === null ? [] : [{ name: name as RouteName, route: route as Route, params }];
  });
  if (fitting.length === 0) throw new NotFoundError();
  const found = fitting.find(({ route }) => route.method === method);
  if (!found) throw new MethodNotAllowedError(fitting.map(({ route }) => route.method));
  return found;
}

function paramsOf({ path: template }: Route, path: string): Record<string, string> | null {
  try {
    return matchPath(template, path);
  } catch {
    throw new InvalidRequestError("The path is not percent-encoded UTF-8.");
  }
}

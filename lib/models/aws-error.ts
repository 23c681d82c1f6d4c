/** What an error of an AWS client says about the answer behind it. */

/** Errors that come inside a stream, whose answer had status 200 (API reference of ConverseStream). */
const STATUS_BY_NAME: Record<string, number> = {
  ThrottlingException: 429,
  InternalServerException: 500,
  ServiceUnavailableException: 503,
  ModelStreamErrorException: 424,
  ModelTimeoutException: 408,
  ValidationException: 400,
};

/** The HTTP status of the answer, or what the service's error in a stream stands for. */
export function awsStatusOf(error: unknown): number | undefined {
  const { $metadata, name, originalStatusCode } = (error ?? {}) as {
    $metadata?: { httpStatusCode?: unknown };
    name?: unknown;
    originalStatusCode?: unknown;
  };
  const byName = typeof name === "string" ? STATUS_BY_NAME[name] : undefined;
  const inStream = byName === undefined ? undefined : (originalStatusCode ?? byName);
  const status = $metadata?.httpStatusCode;
  return [typeof status === "number" && status >= 400 ? status : undefined, inStream].find(
    (found) => typeof found === "number",
  );
}

/** Whether nothing was sent, so that another attempt would fail alike: no credentials, or a request that cannot be written. */
export function isNoFault(error: unknown): boolean {
  return error instanceof TypeError || (typeof error === "object" && error !== null && "tryNextLink" in error);
}

/** A setting of an environment is refused: it would deploy and not work, or work for too many. */
export class SettingError extends Error {
  override readonly name = "SettingError";
}

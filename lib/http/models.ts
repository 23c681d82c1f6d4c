/** Ids of the models that a request may choose, as `PARKWAY_MODELS` lists them: separated by commas. */
export function modelsFrom(text: string | undefined): readonly string[] {
  const ids = (text ?? "").split(",").map((id) => id.trim());
  return ids.filter((id) => id !== "");
}

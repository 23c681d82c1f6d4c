/** The skill that teaches authoring workflows, as it ships with the package (H-7). */
import { fileURLToPath } from "node:url";

/** Absolute path of the directory that holds `parkway-authoring/SKILL.md`. */
export const BUNDLED_AUTHORING_SKILL_DIR: string = fileURLToPath(new URL("../skills", import.meta.url));

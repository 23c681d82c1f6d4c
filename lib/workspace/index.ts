/** Files as the runtime sees them: backends, one session's tree over them, skills, the authoring plane, files sent along. */

export { checkTurnFiles, placeTurnFiles, type TurnFile, type TurnFileChecks } from "./attachments.js";
export { type Authoring, createAuthoring, opensWithFrontmatter } from "./authoring.js";
export {
  binaryMediaType,
  bytesFromBase64,
  bytesToStore,
  isBinaryPath,
  isTextMediaType,
  mediaTypeOf,
  OCTET_STREAM,
  sameBytes,
  textFromBytes,
} from "./bytes.js";
export { defaultMounts } from "./default-mounts.js";
export { AuthoringBackendExposedError, FileProblem, fileErrorFromText, MountCollisionError } from "./errors.js";
export { fileStoreBackend, isPathError } from "./file-store-backend.js";
export { createFilesystemBackend } from "./filesystem-backend.js";
export { createMemoryBackend } from "./memory-backend.js";
export {
  checkAuthoringExposure,
  type Mount,
  type MountOptions,
  type MountTable,
  mountInfos,
  resolveMounts,
} from "./mounts.js";
export { isWithin, joinPath, parentOf, treePath } from "./paths.js";
export { type PictureMediaType, pictureMediaType } from "./pictures.js";
export { readOnly } from "./read-only.js";
export { countOccurrences, DEFAULT_MATCH_CAP, FINDS_TOO_MUCH, grepShown, linesOf } from "./search.js";
export { seedFiles } from "./seed.js";
export { DEFAULT_SKILL_SOURCES, listSkills, type SkillEntry, type SkillProblem } from "./skills.js";
export { storeBytes } from "./store-bytes.js";
export { mountSubtree } from "./subtree.js";
export type { Tree, TreeFile } from "./tree.js";
export { treeBackend } from "./tree-backend.js";
export type { Backend, FileError, FileInfo, GrepMatch, Workspace } from "./types.js";
export { createWorkspace } from "./workspace.js";

export { createS3Backend, type S3BackendOptions } from "./backend.js";
export { createS3FileStore, type S3FileStoreOptions } from "./file-store.js";
export { createS3LargeValues } from "./large-values.js";
export { ObjectsNotRemovedError } from "./remove-versions.js";

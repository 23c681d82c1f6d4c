export { createFilesystemFileStore } from "./file-store.js";

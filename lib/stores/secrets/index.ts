export { InvalidSecretReferenceError, SecretNotFoundError, SecretUnavailableError } from "./errors.js";
export { isSecretReference } from "./references.js";
export { createSecrets, type Secrets, type SecretsOptions } from "./secrets.js";

/** What keeps the local environment from starting. */
import { ParkwayError } from "../session/errors.js";

export class PortInUseError extends ParkwayError {
  override readonly code = "port-in-use";
  constructor(
    readonly port: number,
    options?: ErrorOptions,
  ) {
    super(`Port ${port} is taken; stop what listens there, or choose another with --port.`, options);
  }
}

/** Entrances of the configuration name what does not exist. */
export class DeploymentError extends ParkwayError {
  override readonly code = "deployment";
  constructor(readonly problems: readonly { at: string; message: string }[]) {
    super(
      `The configuration does not fit the workflows: ${problems.map(({ at, message }) => `${at}: ${message}`).join(" ")}`,
    );
  }
}

/** A secret that a webhook needs is not to be had on this machine. */
export class LocalSecretError extends ParkwayError {
  override readonly code = "local-secret";
  constructor(
    readonly reference: string,
    readonly variable: string,
    options?: ErrorOptions,
  ) {
    super(`${reference} is not known on this machine; set ${variable} in .env or the environment.`, options);
  }
}

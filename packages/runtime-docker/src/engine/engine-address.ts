import { createError } from '@berth/contract';

/** Where an engine listens. */
export interface EngineAddress {
  /** As people write it, e.g. `unix:///var/run/docker.sock`. */
  readonly text: string;
  /** Absolute path of its socket. */
  readonly socketPath: string;
}

/** Debian's and everybody's place of Docker's socket, and Podman's when it serves as Docker. */
const DEFAULT_ADDRESS = 'unix:///var/run/docker.sock';

/**
 * Reads an address in the way of `DOCKER_HOST`; the default socket without one. Only sockets of this machine: the engine
 * mounts folders of the server into containers, and the gateway connects to their addresses.
 * @throws BerthError `invalid` for any other address.
 */
export function parseEngineAddress(text: string | undefined): EngineAddress {
  const address = text || DEFAULT_ADDRESS;
  const socketPath = address.startsWith('unix://') ? address.slice('unix://'.length) : address;
  if (socketPath.startsWith('/')) return { text: `unix://${socketPath}`, socketPath };
  throw createError(
    'invalid',
    `The Docker engine has to be on this machine: give its socket as unix:///path/to/docker.sock, not ${address}.`,
  );
}

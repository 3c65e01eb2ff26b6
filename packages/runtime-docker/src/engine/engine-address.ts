import { createError } from '@berth/contract';

/** The address of an engine. */
export interface EngineAddress {
  /** The address as a URL, e.g. `unix:///var/run/docker.sock`. */
  readonly text: string;
  /** Absolute path of the engine's socket. */
  readonly socketPath: string;
}

/** The usual address of Docker, and of Podman when it emulates Docker. */
const DEFAULT_ADDRESS = 'unix:///var/run/docker.sock';

/**
 * Parses an address in the format of `DOCKER_HOST`. Default: `unix:///var/run/docker.sock`. The engine must be on this machine, because it
 * mounts the server's folders into containers, and the gateway connects to their addresses.
 * @throws BerthError `invalid` for anything but a local socket.
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

import { access } from 'node:fs/promises';
import { createError } from '@berth/contract';
import type { Clock, Logger } from '@berth/kit';
import type Docker from 'dockerode';
import type { ImageInspectInfo } from 'dockerode';
import { chooseApiVersion } from './api-version.ts';
import { ignoreStatus, translateEngineError } from './engine-errors.ts';

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
    `The Docker engine must be on this machine: set its socket as unix:///path/to/docker.sock, not ${address}.`,
  );
}

/** The facts that an engine reported when it was opened. */
export interface EngineFacts {
  readonly product: 'Docker' | 'Podman';
  readonly version: string;
  /** The negotiated API version, e.g. `1.41`. */
  readonly apiVersion: string;
  /** Platform of its images, e.g. `linux/amd64`. */
  readonly platform: string;
  readonly cgroupVersion: 1 | 2;
  readonly storageDriver: string;
  /** The folder on this machine that holds its images and containers. */
  readonly rootFolder: string;
  /** The engine can run an init process in containers. */
  readonly hasInit: boolean;
  /** Containers have a seccomp profile by default. */
  readonly hasSyscallFilter: boolean;
  /** OCI runtimes by name, e.g. `runc`, `runsc`. */
  readonly ociRuntimes: readonly string[];
}

/** A Docker engine, or one with the same API. */
export interface Engine {
  readonly docker: Docker;
  /** The address, for messages. */
  readonly address: string;
  readonly facts: EngineFacts;
  /**
   * Calls the engine and returns the result. Connection errors are translated; errors that the engine responds with are thrown as the client
   * throws them (see `engineStatus`, `engineMessage`).
   * @throws BerthError `unavailable` when the engine can't be reached.
   */
  call<Result>(work: (docker: Docker) => Promise<Result>): Promise<Result>;
}

/** Shared dependencies of a driver's parts. */
export interface EngineContext {
  readonly engine: Engine;
  /** Permanent id of this server, which distinguishes what it creates in the engine. */
  readonly serverId: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Returns an image's description; undefined when the engine doesn't have it. */
export function findImage(engine: Engine, reference: string): Promise<ImageInspectInfo | undefined> {
  return engine.call((docker) => docker.getImage(reference).inspect()).catch(ignoreStatus(404));
}

/** Time limit of the first calls. */
const OPEN_TIMEOUT_MS = 10_000;

/**
 * Connects to an engine and negotiates the API version.
 * @throws BerthError `unavailable`, with a remedy, when the engine doesn't respond or isn't supported.
 */
export async function openEngine(address: EngineAddress): Promise<Engine> {
  const { socketPath, text } = address;
  const call = async <Result>(docker: Docker, work: (docker: Docker) => Promise<Result>): Promise<Result> => {
    try {
      return await work(docker);
    } catch (error) {
      throw translateEngineError(error, text);
    }
  };
  // The client is 170 files. A machine without an engine, as most first starts find it, needs none of them.
  await access(socketPath).catch((error) => {
    throw translateEngineError(error, text);
  });
  const { default: Docker } = await import('dockerode');
  // Without `host: undefined` the environment's DOCKER_HOST would override the socket.
  const asking = new Docker({ socketPath, host: undefined, timeout: OPEN_TIMEOUT_MS });
  const version = await call(asking, (one) => one.version());
  const apiVersion = chooseApiVersion(version, text);
  const docker = new Docker({ socketPath, host: undefined, version: `v${apiVersion}` });
  const info = (await call(asking, (one) => one.info())) as EngineInfo;
  const product = isPodman(version) ? 'Podman' : 'Docker';
  if (info.OSType !== undefined && info.OSType !== 'linux') {
    throw createError(
      'unavailable',
      `The engine at ${text} runs ${info.OSType} containers; Berth needs Linux containers.`,
    );
  }
  if (info.SecurityOptions?.some((option) => option.includes('rootless'))) {
    throw createError(
      'unavailable',
      `The engine at ${text} is rootless: its containers have no address that the gateway can reach. Use one that runs as root.`,
    );
  }
  return {
    docker,
    address: text,
    call: (work) => call(docker, work),
    facts: {
      ...{ product, version: version.Version, apiVersion, platform: `linux/${version.Arch}` },
      cgroupVersion: info.CgroupVersion === '2' ? 2 : 1,
      storageDriver: info.Driver ?? '',
      rootFolder: info.DockerRootDir ?? '',
      hasInit: product === 'Podman' || (info.InitBinary ?? '') !== '',
      hasSyscallFilter:
        info.SecurityOptions?.some((option) => /^name=seccomp\b/.test(option) && !option.includes('unconfined')) ===
        true,
      ociRuntimes: Object.keys(info.Runtimes ?? {}),
    },
  };
}

/** The fields of `GET /info` that are used. Source: Docker Engine API 1.41, SystemInfo. */
interface EngineInfo {
  readonly OSType?: string;
  readonly CgroupVersion?: string;
  readonly Driver?: string;
  readonly DockerRootDir?: string;
  readonly SecurityOptions?: readonly string[] | null;
  readonly InitBinary?: string;
  readonly Runtimes?: Readonly<Record<string, unknown>> | null;
}

function isPodman(version: { readonly Components?: readonly { readonly Name: string }[] }): boolean {
  return version.Components?.some(({ Name }) => Name.startsWith('Podman')) === true;
}

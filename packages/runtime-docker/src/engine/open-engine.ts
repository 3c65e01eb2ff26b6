import { createError } from '@berth/contract';
import Docker from 'dockerode';
import { chooseApiVersion } from './api-version.ts';
import type { EngineAddress } from './engine-address.ts';
import { translateEngineError } from './engine-errors.ts';

/** What an engine said of itself when it was opened. */
export interface EngineFacts {
  readonly product: 'Docker' | 'Podman';
  readonly version: string;
  /** The version both sides speak, e.g. `1.41`. */
  readonly apiVersion: string;
  /** Of its own images, e.g. `linux/amd64`. */
  readonly platform: string;
  readonly cgroupVersion: 1 | 2;
  readonly storageDriver: string;
  /** Where it keeps images and containers; a folder of this machine. */
  readonly rootFolder: string;
  /** It can put an init process before a program. */
  readonly hasInit: boolean;
  /** Containers get a seccomp profile when they name none. */
  readonly hasSyscallFilter: boolean;
  /** OCI runtimes by name, e.g. `runc`, `runsc`. */
  readonly ociRuntimes: readonly string[];
}

/** A Docker engine, or one that speaks its API. */
export interface Engine {
  readonly docker: Docker;
  /** For messages. */
  readonly address: string;
  readonly facts: EngineFacts;
  /**
   * Does something with the engine. What goes wrong on the way to it is translated; what the engine itself refuses comes
   * as its client throws it (see `engineStatus`, `engineMessage`).
   * @throws BerthError `unavailable` when the engine is away.
   */
  call<Result>(work: (docker: Docker) => Promise<Result>): Promise<Result>;
}

/** An engine that takes longer than this to say who it is hangs. */
const OPEN_TIMEOUT_MS = 10_000;

/**
 * Finds out who is at an address and agrees on a version of the API with it.
 * @throws BerthError `unavailable` when nobody answers, or no engine that Berth can work with, saying what to do.
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
  // A host of the environment would win over the socket.
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

/** The part of `GET /info` that is read. Source: Docker Engine API 1.41, SystemInfo. */
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

import { readFileSync, writeFileSync } from 'node:fs';
import { createError } from '@berth/contract';
import { createLimiter, type Logger, runInBackground } from '@berth/kit';
import { runProbe } from '@berth/runtime/drivers';
import { readHostResolver, writeResolverFile } from './host-resolver.ts';
import {
  addHostAddress,
  allowForwarding,
  findNetworkTools,
  makeLink,
  type NetworkTools,
  namespacePath,
  removeLink,
  removeSlice,
  slicePrefix,
  tableName,
} from './kernel-links.ts';
import {
  FIRST_LINK,
  HOST_ADDRESS,
  LAST_LINK,
  programAddress,
  takeAbandonedSlices,
  takeSlice,
} from './network-slices.ts';
import type { Networks, ProgramNetwork } from './networks.ts';
import { packetFilterRules } from './packet-filter.ts';

/** Options of {@link createVethNetworks}. */
export interface VethNetworksOptions {
  /** Holds the claims of servers on slices; accessible to root only. */
  readonly claimFolder: string;
  /** A folder of the server that services can read, for the files that they see in `/etc`. */
  readonly viewFolder: string;
  /** Id of the server, twelve hexadecimal digits. */
  readonly serverHash: string;
  /** Programs can be given another `/etc/resolv.conf`. */
  readonly isSandboxed: boolean;
  readonly hostPorts: readonly number[];
  readonly blockedRanges: readonly string[];
  readonly logger: Logger;
}

/** Number of networks made in advance, because making one takes some 20 ms. */
const SPARE = 4;
const FORWARDING = '/proc/sys/net/ipv4/ip_forward';

/** Removes the networks of all killed servers, because no server may ever start again on the data folder of a test or trial. */
export async function removeAbandonedNetworks(claimFolder: string): Promise<void> {
  for (const { index, settle } of takeAbandonedSlices(claimFolder)) {
    await removeSlice(findNetworkTools(), index);
    settle();
  }
}

/**
 * Creates networks for a server that is root. Each network is a namespace with a link to this machine; the packet filter lets only traffic
 * to the internet pass. Networks outlive a killed server; the next server on this machine removes them.
 * @throws Error naming the missing part, for people.
 */
export async function createVethNetworks(options: VethNetworksOptions): Promise<Networks> {
  const { claimFolder, viewFolder, serverHash, isSandboxed, hostPorts, blockedRanges, logger } = options;
  const tools = findNetworkTools();
  const resolver = readHostResolver();
  const isLoopbackLed = resolver.loopback !== undefined || hostPorts.length > 0;
  if (resolver.loopback !== undefined && !isSandboxed) {
    throw new Error("the machine's DNS server listens on loopback only, which requires bubblewrap");
  }
  await removeAbandonedNetworks(claimFolder);
  const slice = takeSlice(claimFolder, Number.parseInt(serverHash.slice(0, 4), 16));
  try {
    await setUp(tools, slice.index);
  } catch (error) {
    await removeSlice(tools, slice.index);
    slice.release();
    throw error;
  }
  const etcFiles = writeResolverFile(viewFolder, resolver, HOST_ADDRESS);
  const used = new Set<number>();
  const spare: number[] = [];
  const queue = createLimiter({ concurrency: 1 });
  let next = FIRST_LINK;
  let isClosed = false;

  async function setUp(found: NetworkTools, index: number): Promise<void> {
    // Written only when off: in a container the file may be read-only.
    if (readFileSync(FORWARDING, 'utf8').trim() !== '1') writeFileSync(FORWARDING, '1');
    const rules = packetFilterRules({
      slice: index,
      table: tableName(index),
      interfacePrefix: slicePrefix(index),
      ...{ resolver, hostPorts, blockedRanges },
    });
    const [{ isOk, output }] = await Promise.all([
      runProbe([found.nft, '-f', '-'], { input: rules }),
      allowForwarding(found, index),
      addHostAddress(found),
    ]);
    if (!isOk) throw new Error(`nftables rejected the rules: ${output.split('\n')[0]}`);
    await makeLink(found, { slice: index, link: FIRST_LINK, isLoopbackLed, hostPorts });
    await removeLink(found, index, FIRST_LINK);
  }

  /** Makes a network. Addresses are reused as late as possible, so that delayed packets don't reach another program. */
  const make = async (): Promise<number> => {
    for (let tries = FIRST_LINK; tries <= LAST_LINK; tries++) {
      const link = next;
      next = next === LAST_LINK ? FIRST_LINK : next + 1;
      if (used.has(link)) continue;
      used.add(link);
      try {
        await makeLink(tools, { slice: slice.index, link, isLoopbackLed, hostPorts });
        return link;
      } catch (error) {
        used.delete(link);
        throw createError('out_of_capacity', 'The machine refused a network for this program. See its log.', {
          cause: error,
        });
      }
    }
    throw createError('out_of_capacity', `All ${LAST_LINK} networks of this server are in use.`);
  };
  const refill = (): void => {
    const work = queue.run(async () => {
      while (!isClosed && spare.length < SPARE) spare.push(await make());
    });
    runInBackground('make networks ahead of need', work, logger);
  };

  refill();
  return {
    isIsolated: true,
    hasOwnAddresses: true,
    async take(port = 0): Promise<ProgramNetwork> {
      const link = spare.shift() ?? (await make());
      refill();
      let isReleased = false;
      return {
        address: { host: programAddress(slice.index, link), port },
        port,
        enter: [tools.nsenter, `--net=${namespacePath(slice.index, link)}`],
        etcFiles,
        isFresh: async () => true,
        async release() {
          if (isReleased) return;
          isReleased = true;
          await removeLink(tools, slice.index, link);
          used.delete(link);
        },
      };
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await queue.run(async () => {});
      await removeSlice(tools, slice.index);
      slice.release();
    },
  };
}

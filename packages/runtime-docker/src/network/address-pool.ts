/** A range of IPv4 subnets of equal size. */
export interface AddressPool {
  /** The first address, as a number. */
  readonly first: number;
  /** Number of subnets. */
  readonly count: number;
}

/** Room for 61 instances of an account, besides network, gateway and broadcast address. */
const SUBNET_BITS = 26;
const SUBNET_SIZE = 2 ** (32 - SUBNET_BITS);

/**
 * Parses a pool in CIDR form, e.g. `10.213.0.0/16`, which has room for 1,024 networks.
 * @throws RangeError when `text` isn't an IPv4 network of /8 to /26.
 */
export function parseAddressPool(text: string): AddressPool {
  const [, address = '', bitsText = ''] = /^(\d+\.\d+\.\d+\.\d+)\/(\d+)$/.exec(text) ?? [];
  const parts = address.split('.').map(Number);
  const bits = Number(bitsText);
  const first = parts.reduce((sum, part) => sum * 256 + part, 0);
  const isRead = parts.length === 4 && parts.every((part) => part < 256) && bits >= 8 && bits <= SUBNET_BITS;
  if (!isRead || first % 2 ** (32 - bits) !== 0) {
    throw new RangeError(`must be an IPv4 network of /8 to /${SUBNET_BITS} such as 10.213.0.0/16, not ${text}`);
  }
  return { first, count: 2 ** (SUBNET_BITS - bits) };
}

/** Returns the subnets that aren't `taken`, in CIDR form, lowest first. */
export function findFreeSubnets({ first, count }: AddressPool, taken: ReadonlySet<string>): string[] {
  return Array.from(
    { length: count },
    (_, index) => `${formatAddress(first + index * SUBNET_SIZE)}/${SUBNET_BITS}`,
  ).filter((subnet) => !taken.has(subnet));
}

function formatAddress(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}

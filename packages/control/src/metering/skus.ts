/** A metered quantity and its unit. */
export interface Sku {
  /** As people read it, in `billing.sku.description`. */
  readonly description: string;
  /** As people read it, in `billing.usage.unit`. */
  readonly unit: string;
}

/** Everything that is metered. Source: docs/contract/control-plane.md §8. */
export const SKUS = {
  cpu: { description: 'CPU', unit: 'vCPU-seconds' },
  memory: { description: 'Memory', unit: 'GiB-seconds' },
  requests: { description: 'Requests', unit: 'requests' },
  egress: { description: 'Egress', unit: 'bytes' },
  build: { description: 'Build time', unit: 'seconds' },
  storage: { description: 'Storage', unit: 'GiB-months' },
} as const satisfies Record<string, Sku>;

export type SkuId = keyof typeof SKUS;

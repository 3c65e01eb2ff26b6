import type { GatewayEvents } from '@berth/gateway';
import type { AccountId } from '@berth/kit';
import type { UsageMeter } from './usage-meter.ts';

/** Meters the gateway's events: running time of instances, requests, and bytes of responses. */
export function meterGateway({ record }: Pick<UsageMeter, 'record'>): Pick<GatewayEvents, 'onRequest' | 'onInstance'> {
  return {
    onRequest({ account, deployment, responseSize }) {
      const use = { account: account as AccountId, resource: deployment };
      record({ ...use, sku: 'requests', amount: 1 });
      record({ ...use, sku: 'egress', amount: responseSize });
    },
    onInstance(event) {
      if (event.kind !== 'billed') return;
      const use = { account: event.account as AccountId, resource: event.deployment };
      const seconds = event.billableMs / 1_000;
      record({ ...use, sku: 'cpu', amount: (seconds * event.cpuMillis) / 1_000 });
      record({ ...use, sku: 'memory', amount: (seconds * event.memoryBytes) / 2 ** 30 });
    },
  };
}

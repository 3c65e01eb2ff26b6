import type { GatewayEvents } from '@berth/gateway';
import type { AccountId } from '@berth/kit';
import type { UsageMeter } from './usage-meter.ts';

/** Meters what the gateway tells: the time of instances, requests, and the bytes of their answers. */
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

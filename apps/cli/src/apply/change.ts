import { formatBytes } from '../output/format-bytes.ts';

/** A change that `berth apply` makes. It names variables, and never has their values. */
export type Change =
  | { readonly action: 'create_volume'; readonly volume: string }
  | { readonly action: 'set_variables'; readonly service: string; readonly keys: readonly string[] }
  | {
      readonly action: 'create_service' | 'deploy_service';
      readonly service: string;
      readonly changes: readonly string[];
    }
  | { readonly action: 'change_settings'; readonly service: string; readonly changes: readonly string[] }
  | { readonly action: 'add_domain'; readonly service: string; readonly domain: string; readonly from?: string }
  | { readonly action: 'remove_domain'; readonly service: string; readonly domain: string }
  | { readonly action: 'unset_variables'; readonly service: string; readonly keys: readonly string[] }
  | { readonly action: 'delete_service'; readonly service: string; readonly url: string }
  | {
      readonly action: 'delete_volume';
      readonly volume: string;
      readonly size_bytes: number;
      readonly object_count: number;
    };

/** The sign in front of a change: something new, something else, or something less. */
export type ChangeSign = '+' | '~' | '-';

/** Returns the sign and the line of a change in a plan. */
export function describeChange(change: Change): { readonly sign: ChangeSign; readonly text: string } {
  switch (change.action) {
    case 'create_volume':
      return { sign: '+', text: `volume ${change.volume}` };
    case 'set_variables':
      return { sign: '+', text: `variables of ${change.service}: ${change.keys.join(', ')}` };
    case 'create_service':
      return { sign: '+', text: `service ${change.service}: ${change.changes.join(', ')}` };
    case 'deploy_service':
    case 'change_settings':
      return { sign: '~', text: `service ${change.service}: ${change.changes.join(', ')}` };
    case 'add_domain': {
      const from = change.from === undefined ? '' : `, moved from ${change.from}`;
      return {
        sign: change.from === undefined ? '+' : '~',
        text: `domain ${change.domain} of ${change.service}${from}`,
      };
    }
    case 'remove_domain':
      return { sign: '-', text: `domain ${change.domain} of ${change.service}` };
    case 'unset_variables':
      return {
        sign: '-',
        text: `variables of ${change.service}: ${change.keys.join(', ')}; the values can't be recovered`,
      };
    case 'delete_service':
      return { sign: '-', text: `service ${change.service} (${change.url}); its volumes and logs are kept` };
    case 'delete_volume': {
      const objects = change.object_count === 1 ? '1 object' : `${change.object_count} objects`;
      const size = `${objects}, ${formatBytes(change.size_bytes)}`;
      return { sign: '-', text: `volume ${change.volume} with ${size}; it can be restored for 7 days` };
    }
  }
}

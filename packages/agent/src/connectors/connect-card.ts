import type { UiFrame } from '@berth/contract/agent';
import type { ConnectRequest } from './not-connected.ts';

/** Asks the person to connect something. Source: spec agent-api 2, `ui`. */
export function connectCard(request: ConnectRequest): UiFrame {
  return { type: 'ui', action: 'connect', ...request };
}

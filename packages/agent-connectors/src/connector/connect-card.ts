import { type Component, callout } from '@berth/agent-core';
import type { UiFrame } from '@berth/contract/agent';
import type { ConnectRequest } from './not-connected.ts';

/** Asks the person to connect something. Source: docs/contract/agent-api.md §2, `ui`. */
export function connectCard(request: ConnectRequest): UiFrame {
  return { type: 'ui', action: 'connect', ...request };
}

/** The same at the end of a turn, with a line that is still there when the card is gone, and where there are no cards. */
export function connectToGoOn(request: ConnectRequest): readonly Component[] {
  return [callout(`Connect ${request.title} to go on.`, 'info'), connectCard(request)];
}

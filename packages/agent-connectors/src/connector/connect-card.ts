import { type Component, callout } from '@berth/agent-core';
import type { UiFrame } from '@berth/contract/agent';
import type { ConnectRequest } from './not-connected.ts';

/** Returns the `connect` card for `request`. Source: docs/contract/agent-api.md §2, `ui`. */
export function connectCard(request: ConnectRequest): UiFrame {
  return { type: 'ui', action: 'connect', ...request };
}

/**
 * Returns the `connect` card after a line of text, for the end of a turn. The text remains when the card is gone, and
 * in clients without cards.
 */
export function connectToGoOn(request: ConnectRequest): readonly Component[] {
  return [callout(`Connect ${request.title} to go on.`, 'info'), connectCard(request)];
}

import type { ActiveWorkspace, TurnOptions, User } from '@berth/agent-core';

/** Person, place and options of a turn, with which it continues. Stored as JSON. */
export interface TurnRequest {
  readonly user: User;
  readonly workspaceId: string;
  readonly options: Pick<TurnOptions, 'disabledTools' | 'auto' | 'connectors'>;
  /** True for a turn that continues the last answer of its chat. */
  readonly isContinuation?: boolean;
  /** True for a continuation after the person connected a connector; otherwise they decided on calls. */
  readonly isConnected?: boolean;
}

/** Returns the request of a turn as JSON. */
export function formatTurnRequest(
  user: User,
  workspace: Pick<ActiveWorkspace, 'id'>,
  { disabledTools, auto, connectors }: TurnRequest['options'],
  isContinuation = false,
): string {
  const request: TurnRequest = {
    ...{ user, workspaceId: workspace.id, options: { disabledTools, auto, connectors } },
    ...(isContinuation && { isContinuation }),
  };
  return JSON.stringify(request);
}

/** Parses what {@link formatTurnRequest} returned. */
export function parseTurnRequest(json: string): TurnRequest {
  return JSON.parse(json) as TurnRequest;
}

/** A connector in the owner's own tools: they call its API and never see the credential. */
export interface ConnectorHandle {
  readonly name: string;
  /**
   * Calls the API with the caller's credential.
   * @param path below the API's base address, without a leading slash; may have a query.
   * @throws `bad_request` for a path that leaves the base; NotConnected without a working credential; `unavailable`.
   */
  fetch(path: string, request?: ConnectorRequest): Promise<Response>;
}

export interface ConnectorRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

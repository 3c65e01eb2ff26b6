/** The key of what a person decided of a tool of a connector. Names of connectors have no slash, those of tools may. */
export function toolSettingKey(connector: string, tool: string): string {
  return `${connector}/${tool}`;
}

/** Whether a key of a setting is that of a connector's tool. */
export function isConnectorSetting(key: string): boolean {
  return key.includes('/');
}

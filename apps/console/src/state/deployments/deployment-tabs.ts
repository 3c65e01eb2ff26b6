export const DEPLOYMENT_TABS = ['overview', 'revisions', 'settings', 'environment', 'schedule', 'domains'] as const;

export type DeploymentTab = (typeof DEPLOYMENT_TABS)[number];

/** What an address says of the section of a deployment that is shown; the first one where it says nothing that is known. */
export function readTabSearch(search: Readonly<Record<string, unknown>>): { tab?: DeploymentTab } {
  const tab = DEPLOYMENT_TABS.find((one) => one === search['tab']);
  return tab === undefined || tab === 'overview' ? {} : { tab };
}

export const deployments = {
  'deployments.title': 'Deployments',
  'deployments.name': 'Name',
  'deployments.status': 'State',
  'deployments.address': 'Address',
  'deployments.updated': 'Changed',
  'deployments.empty.title': 'Nothing is deployed yet',
  'deployments.empty.text': 'A deployment is a folder that Berth builds and serves at an address of its own.',
  'deployments.status.building': 'Building',
  'deployments.status.deploying': 'Deploying',
  'deployments.status.ready': 'Ready',
  'deployments.status.failed': 'Failed',
  'deployments.status.deleting': 'Deleting',
};

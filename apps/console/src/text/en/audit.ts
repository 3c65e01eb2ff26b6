export const audit = {
  'audit.title': 'Audit log',
  'audit.time': 'Time',
  'audit.action': 'Action',
  'audit.target': 'Target',
  'audit.actor': 'By',
  'audit.actor.key': 'Key {id}',
  'audit.actor.session': 'Person {id}',
  'audit.actor.system': 'Berth',
  'audit.empty.title': 'Nothing was changed yet',
  'audit.empty.text':
    'Every change of the account is written down here, with who made it. Nothing here can be changed or removed.',
};

/** Signing in by outside providers, and what one may not do. */
export const ways = {
  'ways.with': 'Continue with {name}',
  'ways.or': 'or',
  'ways.join': 'Join with {name}',
  'ways.done.title': 'You are signed in',
  'ways.done.text': 'Close this window; the page that you came from goes on.',
  'ways.linked.title': 'Connected sign-ins',
  'ways.linked.text': 'Providers by which you can sign in here.',
  'ways.linked.none': 'None yet.',
  'ways.linked.connect': 'Connect {name}',
  'ways.linked.stale': 'It is a while since you signed in. Sign out and in again, then connect it.',
  'ways.linked.gone': 'not offered any more',
  'ways.linked.since': 'Connected {ago}',
  'ways.linked.remove': 'Disconnect',
  'ways.linked.remove.title': 'Disconnect {name}?',
  'ways.linked.remove.text': 'You no longer sign in with it. Where you are signed in now you stay so.',
  'ways.linked.removed': '{name} is disconnected.',
  'ways.problem.title': 'Signing in did not work',
  'ways.problem.back': 'Back to sign-in',
  'ways.problem.again': 'Try again',
  'ways.problem.not_offered': 'This platform no longer offers this way to sign in. Choose another one.',
  'ways.problem.declined': 'The provider says that it was cancelled. Try again, or choose another way.',
  'ways.problem.expired': 'This sign-in was begun in another browser, or more than ten minutes ago. Try again here.',
  'ways.problem.unavailable':
    'The provider does not answer. Try again in a while; if it stays so, tell whoever runs this platform.',
  'ways.problem.refused':
    'What the provider answered could not be confirmed. Try again; if it stays so, tell whoever runs this platform.',
  'ways.problem.email_unverified':
    'The provider does not confirm your e-mail address. Confirm it there, then try again.',
  'ways.problem.email_domain':
    'Only addresses of certain organisations are let in. Sign in at the provider with the one of yours.',
  'ways.problem.email_taken':
    'Somebody with your e-mail address is here already. If it is you, sign in as before, then connect the provider on your account page.',
  'ways.problem.closed': 'Nobody here knows you yet. Ask an owner or admin for an invitation and open its link.',
  'ways.problem.invitation':
    'The invitation is used up, too old, or for another e-mail address. Ask for a new one, or sign in at the provider with the address that was invited.',
  'ways.problem.linked_elsewhere':
    'This sign-in belongs to another person here. Sign in as them to disconnect it first.',
  'ways.problem.too_many': 'Too many tries came from your network. Wait a minute, then try again.',
  'rights.title': 'Your role does not allow this',
  'rights.text': 'In {account} you are {role}. Owners and admins may open this page; ask one of them for it.',
  'rights.none.title': 'You belong to no account',
  'rights.none.text':
    'You are signed in, but were removed from your last account, or left it. Ask an owner or admin for an invitation and open its link.',
  'rights.home': 'Go to deployments',
  'people.rights': 'Only owners and admins invite people and change roles.',
  'people.leave': 'Leave',
  'people.leave.title': 'Leave {account}?',
  'people.leave.text':
    'You can no longer use this account, and the keys that you made end. Only a new invitation brings you back.',
  'people.change': 'Change role',
  'people.change.owner': 'Make {name} an owner?',
  'people.change.admin': 'Make {name} an admin?',
  'people.change.member': 'Make {name} a member?',
  'people.role.owner.may': 'Owners may do everything, also to other owners.',
  'people.role.admin.may': 'Admins may do everything but invite, change and remove owners.',
  'people.role.member.may':
    'Members deploy, use volumes, logs and billing. API keys, people and the audit log are not theirs. Keys that they made may do no more than that.',
  'people.invites.revoke.title': 'Take this invitation back?',
  'people.invites.revoke.text': 'The link for {email} is good for nothing then.',
  'people.invites.revoke.any': 'Its link is good for nothing then.',
  'sessions.end.title': 'End this session?',
  'sessions.endOthers.title': 'End all other sessions?',
  'sessions.end.text': 'Whoever works there is asked to sign in again. Deploys and services go on.',
  'people.left': 'You left {account}.',
  'shell.accounts': 'Accounts',
  'shell.switched': 'You are in {account} now.',
};

export const signIn = {
  'signIn.title': 'Sign in to Berth',
  'signIn.email': 'E-mail address',
  'signIn.password': 'Password',
  'signIn.submit': 'Sign in',
  'signIn.none': 'No account yet? Whoever runs this platform gives you one.',
  'signIn.again.title': 'Your session has ended',
  'signIn.again.text': 'Sign in again to go on. Nothing that you typed is lost.',
  'firstRun.title': 'Welcome to Berth',
  'firstRun.text': 'You are the first here. Choose how you will sign in; the account has all rights on this platform.',
  'firstRun.name': 'Your name',
  'firstRun.passwordHint': 'At least 12 characters. A few words are easy to remember and hard to guess.',
  'firstRun.submit': 'Create account',
  'firstRun.noLink.title': 'This link is not whole',
  'firstRun.noLink.text':
    'Open the link that Berth printed when it started, with all that comes after the #. A restart prints a new one.',
};

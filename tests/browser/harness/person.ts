/** Who signs in on the platform that the files share. */
export const PERSON = {
  email: 'maryam.al-khwarizmi@example.org',
  password: 'correct horse battery',
  name: 'Maryam al-Khwarizmi',
} as const;

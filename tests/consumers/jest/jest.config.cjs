// Three projects, each set up as the documentation of Jest, of babel-jest and of ts-jest begins. No flags, no resolver,
// no mapping of names.
module.exports = { projects: ['<rootDir>/commonjs', '<rootDir>/babel', '<rootDir>/typescript'] };

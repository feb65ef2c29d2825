const message = 'Time, chance and the machine enter only through ports.';

/** `new Date()` and `Date()` read the clock; `new Date(value)` does not. */
const noCurrentDate = {
  create: (context) => ({
    NewExpression(node) {
      if (node.callee.name === 'Date' && node.arguments.length === 0) context.report({ node, message });
    },
    CallExpression(node) {
      if (node.callee.name === 'Date') context.report({ node, message });
    },
  }),
};

export default { meta: { name: 'pure-rings' }, rules: { 'no-current-date': noCurrentDate } };

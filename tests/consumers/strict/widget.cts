import assert = require('node:assert/strict');
import http = require('node:http');
import widget = require('@gateramp/widget');

/** The hosted checkout in CommonJS, behind `node:http`. */
const options: widget.WidgetListenerOptions = {
  mode: 'test',
  apiOrigin: 'https://sandbox-api.example',
  originsOf: async () => null,
};
const server = http.createServer(widget.widgetListener(options)).listen(0, '127.0.0.1', () => {
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  fetch(`http://127.0.0.1:${address.port}/`)
    .then(async (page) => assert.match(await page.text(), /<div id="root">/))
    .finally(() => server.close());
});

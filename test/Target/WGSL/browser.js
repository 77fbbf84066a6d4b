// Opens a page of tang-compile --page in headless Chromium and waits until it has run its kernels.
//
//   node browser.js PAGE.html [SCREENSHOT.png]
//
// Prints the page's status, results and messages, and exits with 0 if it came to its end. CHROMIUM names the browser;
// playwright-core is looked for in NODE_MODULES (a folder of npm's).
'use strict';
const fs = require('fs');
const http = require('http');
const path = require('path');
const {chromium} = require(path.join(process.env.NODE_MODULES || '', 'playwright-core'));

const [page, screenshot] = process.argv.slice(2);
const MILLISECONDS = 60000;

async function main() {
  // WebGPU wants a secure context, which localhost is.
  const server = http.createServer((request, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(fs.readFileSync(page));
  });
  await new Promise((done) => server.listen(0, 'localhost', done));
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: ['--no-sandbox', '--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--enable-features=Vulkan'],
  });
  const tab = await browser.newPage({viewport: {width: 1100, height: 1400}});
  let outside = 0;
  const messages = [];
  tab.on('console', (message) => messages.push(`${message.type()}: ${message.text()}`));
  tab.on('pageerror', (error) => messages.push(`exception: ${error.message}`));
  tab.on('request', (request) => (outside += !/^(http:\/\/localhost:|data:)/.test(request.url())));
  await tab.goto(`http://localhost:${server.address().port}/`);
  const ended = () => ['done', 'failed'].includes(document.body.dataset.state);
  await tab.waitForFunction(ended, null, {timeout: MILLISECONDS}).catch((error) => messages.push(textOf(error)));
  const state = await tab.evaluate(() => document.body.dataset.state);
  for (const id of ['status', 'device', 'time', 'results']) console.log(`${id}: ${await tab.innerText('#' + id)}`);
  for (const message of messages) console.log(message);
  console.log(`requests elsewhere: ${outside}`);
  if (screenshot) await tab.screenshot({path: screenshot, fullPage: true});
  await browser.close();
  server.close();
  return state === 'done' && !messages.some((message) => /^(error|exception)/.test(message)) ? 0 : 1;
}
const textOf = (error) => error.message || String(error);

main().then(
  (code) => process.exit(code),
  (error) => (console.log(textOf(error)), process.exit(1)),
);

// nsqjs, unchanged, publishes and consumes; tests/system/nsq_clients_test.py judges.
'use strict';
const fs = require('fs');
const nsq = require('nsqjs');

const given = JSON.parse(process.argv[2]);
const [host, port] = given.tcp.split(':');
const options = {tls: given.tls, snappy: given.snappy, deflate: given.deflate};
if (given.tls) options.ca = fs.readFileSync(given.ca);
const told = {bodies: {}, attempts: {}};

function wrong(what) {
  process.stderr.write(`${what}\n`);
  process.exit(1);
}

const reader = new nsq.Reader(given.topic, 'ch', {
  nsqdTCPAddresses: [given.tcp], maxInFlight: 10, maxBackoffDuration: 0,
  ...options,
});
const writer = new nsq.Writer(host, Number(port), options);

reader.on('message', (message) => {
  const body = message.body.toString();
  (told.attempts[body] = told.attempts[body] || []).push(message.attempts);
  if (Number(body) % 10 === 0 && message.attempts === 1) {
    message.requeue(100, false);
    return;
  }
  message.finish();
  told.bodies[body] = (told.bodies[body] || 0) + 1;
  if (Object.keys(told.bodies).length === given.messages) {
    // After the last FIN has left.
    setTimeout(() => {
      console.log(JSON.stringify(told));
      process.exit(0);
    }, 500);
  }
});
reader.on('error', wrong);
writer.on('error', wrong);
writer.on('ready', () => {
  const half = Math.floor(given.messages / 2);
  for (let n = 0; n < half; n += 1) {
    writer.publish(given.topic, String(n), (why) => why && wrong(why));
  }
  const rest = [];
  for (let n = half; n < given.messages; n += 1) rest.push(String(n));
  writer.publish(given.topic, rest, (why) => why && wrong(why));
});
reader.connect();
writer.connect();

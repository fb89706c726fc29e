// The read calls of Elasticsearch's JavaScript client against a service: client.mjs URL.
import assert from 'node:assert'
import { Client, errors } from '@elastic/elasticsearch'

const client = new Client({ node: process.argv[2] })
const query = { match: { text: { query: 'music player', operator: 'and' } } }

assert.equal(await client.ping(), true)
assert.equal((await client.info()).version.number, '8.19.0')
assert.equal((await client.cluster.health()).status, 'green')
assert.equal((await client.cat.indices({ format: 'json' }))[0].index, 'demo')

const found = await client.search({ index: 'demo', query, size: 3, highlight: { fields: { text: {} } } })
assert.equal(found.hits.hits.length, 3)
assert.equal(found.hits.total.relation, 'eq')
const { count } = await client.count({ index: 'demo', query })
assert.equal(count, found.hits.total.value)

const first = found.hits.hits[0]
const document = await client.get({ index: 'demo', id: first._id })
assert.deepEqual(document._source, first._source)
assert.equal(await client.exists({ index: 'demo', id: 'no such id' }), false)

const many = await client.msearch({ searches: [{ index: 'demo' }, { query, size: 3 }, {}, { size: 0 }] })
assert.deepEqual(many.responses.map(r => r.status), [200, 200])
assert.equal(many.responses[0].hits.hits[0]._id, first._id)

await assert.rejects(client.search({ index: 'demo', query: { fuzzy: { text: 'a' } } }), errors.ResponseError)
await assert.rejects(client.search({ index: 'none' }), errors.ResponseError)
await assert.rejects(client.index({ index: 'demo', id: '1', document: { text: 'x' } }), errors.ResponseError)

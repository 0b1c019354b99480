// go-nsq, unchanged, publishes and consumes; tests/system/nsq_clients_test.py judges.
package main

import (
	"encoding/json"
	"log"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/nsqio/go-nsq"
)

type request struct {
	TCP, HTTP, CA, Topic string
	TLS, Snappy, Deflate bool
	Messages             int
	Lookup               bool // find the topic by /lookup of HTTP
	Fail                 bool // every message fails for ever
}

type told struct {
	mutex    sync.Mutex
	Bodies   map[string]int      `json:"bodies"`
	Attempts map[string][]uint16 `json:"attempts"`
	GivenUp  []string            `json:"given_up"`
}

type failed struct{}

func (failed) Error() string { return "failed on purpose" }

type handler struct {
	given request
	told  *told
	done  chan bool
}

func (h *handler) note(n int) {
	if n == h.given.Messages {
		close(h.done)
	}
}

func (h *handler) HandleMessage(m *nsq.Message) error {
	h.told.mutex.Lock()
	defer h.told.mutex.Unlock()
	body := string(m.Body)
	h.told.Attempts[body] = append(h.told.Attempts[body], m.Attempts)
	n, err := strconv.Atoi(body)
	if err != nil || h.given.Fail || (n%10 == 0 && m.Attempts == 1) {
		m.RequeueWithoutBackoff(100 * time.Millisecond)
		return failed{}
	}
	h.told.Bodies[body]++
	if h.told.Bodies[body] == 1 {
		h.note(len(h.told.Bodies))
	}
	return nil
}

// Called when the client gives a message up, which it then finishes.
func (h *handler) LogFailedMessage(m *nsq.Message) {
	h.told.mutex.Lock()
	defer h.told.mutex.Unlock()
	h.told.GivenUp = append(h.told.GivenUp, string(m.Body))
	h.note(len(h.told.GivenUp))
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func config(x request) *nsq.Config {
	c := nsq.NewConfig()
	c.MaxInFlight = 10
	c.MaxAttempts = 5
	c.LookupdPollInterval = 200 * time.Millisecond
	c.LookupdPollJitter = 0
	c.TlsV1 = x.TLS
	c.Snappy = x.Snappy
	c.Deflate = x.Deflate
	if x.TLS {
		must(c.Set("tls_root_ca_file", x.CA))
		c.TlsConfig.ServerName = "localhost"
	}
	return c
}

func main() {
	var x request
	must(json.Unmarshal([]byte(os.Args[1]), &x))
	producer, err := nsq.NewProducer(x.TCP, config(x))
	must(err)
	must(producer.Ping())
	half := x.Messages / 2
	for n := 0; n < half; n++ {
		must(producer.Publish(x.Topic, []byte(strconv.Itoa(n))))
	}
	rest := [][]byte{}
	for n := half; n < x.Messages; n++ {
		rest = append(rest, []byte(strconv.Itoa(n)))
	}
	must(producer.MultiPublish(x.Topic, rest))
	consumer, err := nsq.NewConsumer(x.Topic, "ch", config(x))
	must(err)
	h := &handler{x, &told{Bodies: map[string]int{},
		Attempts: map[string][]uint16{}}, make(chan bool)}
	consumer.AddHandler(h)
	if x.Lookup {
		must(consumer.ConnectToNSQLookupd(x.HTTP))
	} else {
		must(consumer.ConnectToNSQD(x.TCP))
	}
	<-h.done
	consumer.Stop()
	<-consumer.StopChan
	producer.Stop()
	must(json.NewEncoder(os.Stdout).Encode(h.told))
}

// A worker on NSQ's door, with go-nsq: takes messages of a topic's channel and
// lets a program do each.
//
//	nsq_worker 127.0.0.1:4150 jobs encoder -- ./work
//
// The program gets the body on standard input and the attempt in $ATTEMPT. Exit
// 0: done; 75: try again later; anything else: given up, and what it wrote to
// standard error is logged. While it works the message is kept by TOUCH, so it
// may take its time. Works against nsqd as well.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/nsqio/go-nsq"
)

const tryAgain = 75 // EX_TEMPFAIL of sysexits.h

type worker struct {
	program           []string
	touch, retryDelay time.Duration
}

// keep touches the message until done is closed; the server must not think
// that we have died.
func (w worker) keep(m *nsq.Message, done chan struct{}) {
	ticker := time.NewTicker(w.touch)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			m.Touch()
		case <-done:
			return
		}
	}
}

func (w worker) HandleMessage(m *nsq.Message) error {
	m.DisableAutoResponse()
	done := make(chan struct{})
	go w.keep(m, done)
	said := bytes.Buffer{}
	command := exec.Command(w.program[0], w.program[1:]...)
	command.Stdin = bytes.NewReader(m.Body)
	command.Stderr = &said
	command.Env = append(os.Environ(), fmt.Sprintf("ATTEMPT=%d", m.Attempts))
	err := command.Run()
	close(done)
	switch {
	case err == nil:
		m.Finish()
	case command.ProcessState != nil &&
		command.ProcessState.ExitCode() == tryAgain:
		// No backoff: one message's trouble does not slow the others.
		m.RequeueWithoutBackoff(w.retryDelay)
	default:
		log.Printf("given up: %v: %s", err, bytes.TrimSpace(said.Bytes()))
		m.Finish()
	}
	return nil
}

func main() {
	w := worker{}
	atOnce := flag.Int("at-once", 4, "messages at one time")
	secret := flag.String("secret", "", "a key, where one is asked for")
	flag.DurationVar(&w.touch, "touch", time.Second, "")
	flag.DurationVar(&w.retryDelay, "retry-delay", time.Second, "")
	flag.Parse()
	words := flag.Args()
	if len(words) > 3 && words[3] == "--" {
		words = append(words[:3:3], words[4:]...)
	}
	if len(words) < 4 {
		log.Fatal("usage: nsq_worker [OPTIONS] HOST:PORT TOPIC CHANNEL -- PROGRAM...")
	}
	w.program = words[3:]
	config := nsq.NewConfig()
	config.MaxInFlight = *atOnce
	config.MaxAttempts = 0 // the program decides
	config.AuthSecret = *secret
	consumer, err := nsq.NewConsumer(words[1], words[2], config)
	if err != nil {
		log.Fatal(err)
	}
	consumer.AddConcurrentHandlers(w, *atOnce)
	if err := consumer.ConnectToNSQD(words[0]); err != nil {
		log.Fatal(err)
	}
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGINT, syscall.SIGTERM)
	<-told
	consumer.Stop()
	<-consumer.StopChan
}

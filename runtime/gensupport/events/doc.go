// Package events matches events to open handles and keeps a handle open until its events are acknowledged.
//
// It must not know generated packages. What an event concerns is data that they give.
package events

"""The few parts of systemd that logind asks for, on a private bus. A unit that it is to start, reboot.target say, is
written down with the time and nothing more: that is how a test knows when the machine would have gone down."""

import json
import os
import sys
import time

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

NAME = "org.freedesktop.systemd1"
MANAGER = NAME + ".Manager"
PATH = "/org/freedesktop/systemd1"

started_units_path = sys.argv[1]


class Manager(dbus.service.Object):
    @dbus.service.method(MANAGER)
    def Subscribe(self):
        pass

    @dbus.service.method(MANAGER, in_signature="ssi")
    def KillUnit(self, unit, whom, signal):
        if unit != "systemd-logind.service":
            raise dbus.DBusException("there is no " + unit, name=NAME + ".NoSuchUnit")
        daemon = self.connection.get_object("org.freedesktop.DBus", "/org/freedesktop/DBus")
        pid = daemon.GetConnectionUnixProcessID("org.freedesktop.login1")
        os.kill(int(pid), int(signal))

    @dbus.service.method(MANAGER, in_signature="ss", out_signature="o")
    def StartUnit(self, unit, mode):
        with open(started_units_path, "a", encoding="utf8") as file:
            file.write(json.dumps({"unit": unit, "atMs": round(time.time() * 1000)}) + "\n")
        return dbus.ObjectPath(PATH + "/job/1")


class Units(dbus.service.FallbackObject):
    """Every unit that is asked for is there."""

    @dbus.service.method("org.freedesktop.DBus.Properties", in_signature="ss", out_signature="v")
    def Get(self, interface, name):
        if name == "LoadState":
            return "loaded"
        raise dbus.DBusException("not played: " + name, name="org.freedesktop.DBus.Error.UnknownProperty")


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SystemBus()
name = dbus.service.BusName(NAME, bus)
manager = Manager(bus, PATH)
units = Units(bus, PATH + "/unit")
GLib.MainLoop().run()

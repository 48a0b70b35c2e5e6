/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Typed access to a Python dictionary; see the header.
 */

#include "reading/dict-reader.h"

#include <cmath>
#include <sstream>
#include <stdexcept>

namespace sluice_ns3
{

namespace py = pybind11;

DictReader::DictReader(const py::handle& object, std::string path)
    : m_path(std::move(path))
{
    if (!py::isinstance<py::dict>(object))
    {
        throw std::invalid_argument(m_path + " must be an object");
    }
    m_dict = py::reinterpret_borrow<py::dict>(object);
}

double
DictReader::Number(const std::string& key, Range range, std::optional<double> fallback)
{
    const py::object value = Find(key);
    if (!value && fallback)
    {
        return *fallback;
    }
    const bool isNumber = value && !py::isinstance<py::bool_>(value) &&
                          (py::isinstance<py::float_>(value) || py::isinstance<py::int_>(value));
    if (!isNumber)
    {
        Refuse(key, value ? "must be a number" : "is missing");
    }
    const double number = PyFloat_AsDouble(value.ptr());
    if (PyErr_Occurred() || !(number >= range.least && number <= range.most))
    {
        PyErr_Clear();
        std::ostringstream complaint;
        complaint << "must be at least " << range.least;
        if (range.most < std::numeric_limits<double>::max())
        {
            complaint << " and at most " << range.most;
        }
        Refuse(key, complaint.str());
    }
    return number;
}

uint32_t
DictReader::Integer(const std::string& key, Range range, std::optional<double> fallback)
{
    range.most = std::min<double>(range.most, std::numeric_limits<uint32_t>::max());
    const double number = Number(key, range, fallback);
    if (number != std::floor(number))
    {
        Refuse(key, "must be a whole number");
    }
    return static_cast<uint32_t>(number);
}

std::string
DictReader::Text(const std::string& key, std::optional<std::string> fallback)
{
    const py::object value = Find(key);
    if (!value && fallback)
    {
        return *fallback;
    }
    if (!value || !py::isinstance<py::str>(value))
    {
        Refuse(key, value ? "must be a string" : "is missing");
    }
    return value.cast<std::string>();
}

std::vector<DictReader>
DictReader::Dicts(const std::string& key)
{
    const py::object value = Find(key);
    if (!value || !py::isinstance<py::list>(value) || py::len(value) == 0)
    {
        Refuse(key, value ? "must be a list with at least one entry" : "is missing");
    }
    std::vector<DictReader> dicts;
    for (const auto& entry : py::reinterpret_borrow<py::list>(value))
    {
        const std::string index = "[" + std::to_string(dicts.size()) + "]";
        dicts.emplace_back(entry, m_path + "." + key + index);
    }
    return dicts;
}

std::vector<DictReader>
DictReader::DictsIfAny(const std::string& key)
{
    return Find(key) ? Dicts(key) : std::vector<DictReader>();
}

DictReader
DictReader::Dict(const std::string& key)
{
    const py::object value = Find(key);
    return {value ? value : py::dict(), m_path + "." + key};
}

std::optional<DictReader>
DictReader::DictIfAny(const std::string& key)
{
    return Find(key) ? std::optional<DictReader>(Dict(key)) : std::nullopt;
}

std::vector<std::string>
DictReader::Keys() const
{
    std::vector<std::string> keys;
    for (const auto& [key, value] : m_dict)
    {
        keys.push_back(py::str(key).cast<std::string>());
    }
    return keys;
}

void
DictReader::Finish() const
{
    for (const auto& key : Keys())
    {
        if (!m_read.contains(key))
        {
            Refuse(key, "is not known");
        }
    }
}

py::object
DictReader::Find(const std::string& key)
{
    m_read.insert(key);
    if (!m_dict.contains(key.c_str()))
    {
        return {};
    }
    return m_dict[key.c_str()];
}

void
DictReader::Refuse(const std::string& key, const std::string& complaint) const
{
    throw std::invalid_argument(m_path + "." + key + " " + complaint);
}

} // namespace sluice_ns3

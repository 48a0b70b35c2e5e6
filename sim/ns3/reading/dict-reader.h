/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Typed access to a Python dictionary that says in words what is wrong with it.
 */

#ifndef DICT_READER_H
#define DICT_READER_H

#include <cstdint>
#include <limits>
#include <optional>
#include <pybind11/pybind11.h>
#include <set>
#include <string>
#include <vector>

namespace sluice_ns3
{

/**
 * @brief One dictionary out of a scenario.
 *
 * Every failure throws std::invalid_argument with the path of the value. A key without a fallback
 * must be there. Finish() refuses the keys that nobody has asked for.
 */
class [[gnu::visibility("hidden")]] DictReader // as pybind11's own classes are
{
  public:
    /// Smallest and largest legal value, both included.
    struct Range
    {
        double least{0};                                 //!< smallest
        double most{std::numeric_limits<double>::max()}; //!< largest
    };

    /**
     * @brief Take hold of a dictionary.
     * @param object what should be one
     * @param path its place in the scenario
     */
    DictReader(const pybind11::handle& object, std::string path);

    /**
     * @brief Get a number.
     * @param key the key
     * @param range what is legal
     * @param fallback value if the key is missing
     * @return the number
     */
    double Number(const std::string& key, Range range, std::optional<double> fallback = {});

    /**
     * @brief Get a whole number.
     * @param key the key
     * @param range what is legal, at most 32 bits
     * @param fallback value if the key is missing
     * @return the number
     */
    uint32_t Integer(const std::string& key, Range range, std::optional<double> fallback = {});

    /**
     * @brief Get a string.
     * @param key the key
     * @param fallback value if the key is missing
     * @return the string
     */
    std::string Text(const std::string& key, std::optional<std::string> fallback = {});

    /**
     * @brief Get a list of dictionaries with at least one entry.
     * @param key the key
     * @return the dictionaries
     */
    std::vector<DictReader> Dicts(const std::string& key);

    /**
     * @brief Get a list of dictionaries; an empty one if the key is missing.
     * @param key the key
     * @return the dictionaries
     */
    std::vector<DictReader> DictsIfAny(const std::string& key);

    /**
     * @brief Get a dictionary; an empty one if the key is missing.
     * @param key the key
     * @return the dictionary
     */
    DictReader Dict(const std::string& key);

    /**
     * @brief Get a dictionary that need not be there.
     * @param key the key
     * @return the dictionary, if it is there
     */
    std::optional<DictReader> DictIfAny(const std::string& key);

    /**
     * @brief List the keys.
     * @return all of them
     */
    std::vector<std::string> Keys() const;

    /// @brief Refuse keys that nobody has asked for.
    void Finish() const;

  private:
    /**
     * @brief Get a value.
     * @param key the key
     * @return the value, null if missing
     */
    pybind11::object Find(const std::string& key);

    /**
     * @brief Complain.
     * @param key the key
     * @param complaint what is wrong with it
     */
    [[noreturn]] void Refuse(const std::string& key, const std::string& complaint) const;

    pybind11::dict m_dict;        //!< the dictionary
    std::string m_path;           //!< its place in the scenario
    std::set<std::string> m_read; //!< keys asked for
};

} // namespace sluice_ns3

#endif /* DICT_READER_H */

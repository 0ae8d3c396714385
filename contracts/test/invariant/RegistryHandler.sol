// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {SwarmFixture} from "../SwarmFixture.sol";
import {PeerRegistry} from "../../src/PeerRegistry.sol";

/// @dev Registers and moves a few peers among a few accounts at random.
contract RegistryHandler is SwarmFixture {
    uint256 public constant PEERS = 5;
    uint256 public constant ACCOUNTS = 3;

    mapping(uint256 index => Wallet wallet) internal _wallets;
    mapping(uint256 index => bytes32 peerKey) public peerKeys;
    mapping(uint256 index => address account) public holders;
    mapping(address account => uint256 count) public registrations;

    constructor(PeerRegistry registry_) {
        registry = registry_;
        for (uint256 i = 0; i < PEERS; ++i) _wallets[i] = walletOf(i + 1);
    }

    /// @dev Not the fixture's: the runner calls every function of a handler.
    function setUp() public override {}

    function register(uint256 draw) external {
        uint256 index = draw % PEERS;
        address account = accountNamed((draw >> 8) % ACCOUNTS);
        if (holders[index] == account) return;
        bytes memory signature = proofOf(_wallets[index], account, block.timestamp);
        vm.prank(account);
        peerKeys[index] = registry.register(_wallets[index].publicKey, signature, block.timestamp);
        holders[index] = account;
        ++registrations[account];
    }

    function accountAt(uint256 index) external pure returns (address account) {
        return accountNamed(index);
    }
}

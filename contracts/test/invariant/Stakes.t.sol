// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {RewardVotes} from "../../src/RewardVotes.sol";
import {Stakes} from "../../src/Stakes.sol";
import {IStakes} from "../../src/interfaces/IStakes.sol";
import {SwarmFixture} from "../SwarmFixture.sol";
import {TestToken} from "../market/MarketDoubles.sol";
import {StakesHandler} from "./StakesHandler.sol";

/// @dev The numbers are those of INVARIANTS.md.
contract StakesInvariants is SwarmFixture {
    IStakes.Duty internal constant EVALUATOR = IStakes.Duty.Evaluator;
    IStakes.Duty internal constant PROPOSER = IStakes.Duty.Proposer;

    StakesHandler internal handler;
    TestToken internal token;
    uint256 internal firstSupply;

    /// @dev With its own token: nobody has earned Nectar yet.
    function setUp() public override {
        super.setUp();
        token = new TestToken();
        stakes = new Stakes(registry, rounds, 4);
        votes = new RewardVotes(address(this), registry, rounds, commitments, stakes);
        stakes.wire(address(token), address(votes), address(0), address(0));
        bytes32[] memory peers = new bytes32[](4);
        for (uint256 i = 0; i < 4; ++i) {
            address account = accountNamed(i);
            peers[i] = enrol(1 + i, account);
            token.mint(account, 240 ether);
            vm.prank(account);
            token.approve(address(stakes), type(uint256).max);
        }
        firstSupply = token.totalSupply();
        handler = new StakesHandler(StakesHandler.Parts(registry, rounds, votes, token, stakes), peers);
        targetContract(address(handler));
    }

    /// @dev The invariants say little if the handler never gets as far as a stake that leaves.
    function test_TheHandlerReachesSlashesAndWithdrawals() public {
        for (uint256 i = 0; i < 120; ++i) {
            uint256 draw = uint256(keccak256(abi.encode(i)));
            handler.stake(draw);
            handler.slash(draw);
            if (i % 2 == 0) handler.unstake(draw);
            handler.pass(draw);
            handler.withdraw(uint256(keccak256(abi.encode(draw))));
            handler.trespass(draw);
        }
        vm.assertLe(5, handler.withdrawals());
        vm.assertLe(60, handler.slashes());
        vm.assertLe(300, handler.refused());
        vm.assertEq(handler.slipped(), 0);
    }

    function invariant_K1_TheBalanceIsTheSumOfTheStakes() public view {
        uint256 sum = 0;
        for (uint256 i = 0; i < handler.peerCount(); ++i) {
            sum += amountOf(EVALUATOR, handler.peers(i)) + amountOf(PROPOSER, handler.peers(i));
        }
        vm.assertEq(sum, token.balanceOf(address(stakes)));
    }

    function invariant_K2_AStakeIsWhatWasStakedLessItsOwnSlashes() public view {
        for (uint256 i = 0; i < handler.peerCount(); ++i) {
            bytes32 peer = handler.peers(i);
            vm.assertEq(amountOf(EVALUATOR, peer), handler.expectedWei(EVALUATOR, peer));
            vm.assertEq(amountOf(PROPOSER, peer), handler.expectedWei(PROPOSER, peer));
            vm.assertLe(amountOf(EVALUATOR, peer), 100 ether);
            vm.assertLe(amountOf(PROPOSER, peer), 50 ether);
        }
    }

    function invariant_K3_NobodyLeavesEarlyOrSlashesWithoutLeave() public view {
        vm.assertEq(handler.slipped(), 0);
    }

    function invariant_K4_WhatIsSlashedIsBurntButForWhatWhoWasWrongedGets() public view {
        vm.assertEq(token.totalSupply(), firstSupply - handler.burnt());
    }

    function invariant_K5_SeatsAfterBootstrapAreTheSufficientStakes() public view {
        bytes32[] memory seats = votes.seatsAt(type(uint64).max);
        uint256 sufficient = 0;
        for (uint256 i = 0; i < handler.peerCount(); ++i) {
            bytes32 peer = handler.peers(i);
            IStakes.Stake memory held = stakes.stakeOf(EVALUATOR, peer);
            bool sits = held.freeFromRound == 0 && held.amountWei >= 50 ether;
            if (sits) ++sufficient;
            vm.assertTrue(sits == isIn(peer, seats));
        }
        vm.assertEq(seats.length, sufficient);
    }

    function amountOf(IStakes.Duty duty, bytes32 peerKey) internal view returns (uint256 amountWei) {
        return stakes.stakeOf(duty, peerKey).amountWei;
    }

    function isIn(bytes32 key, bytes32[] memory keys) internal pure returns (bool found) {
        for (uint256 i = 0; i < keys.length; ++i) if (keys[i] == key) return true;
    }
}
